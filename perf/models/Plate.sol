model Plate
interface:
  parameter Integer n << 100;
  static Real T[n, n];
implementation:
  for i in 1:n then
    T[i, 1] = 1; T[i, n] = 0;
  end for;
  for j in 2:n-1 then
    T[1, j] = T[2, j]; T[n, j] = T[n-1, j];
    for i in 2:n-1 then
      der(T[i, j]) = T[i-1, j] + T[i+1, j] + T[i, j-1] + T[i, j+1] - 4*T[i, j];
    end for;
  end for;
end Plate;
