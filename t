Command exited with non-zero status 4
0.00 0.00 3636kB
