solstice: error: cannot read 'cool_3000.sol': No such file or directory
