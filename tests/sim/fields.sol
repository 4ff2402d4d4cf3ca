/* Fields of neighbours with edges: an edge that is given, one that copies its neighbour, one that changes at an event, in two and three
   dimensions; and a field in which one cell is another kind. */
model Field
interface:
  parameter Integer n << 14;
  static Real T[n, n];
implementation:
  for i in 1:n then
    T[i, 1] = i;
    if time < 0.3 then T[i, n] = T[i, n-1]; else then T[i, n] = 2; end if;
  end for;
  for j in 2:n-1 then
    T[1, j] = T[2, j];
    T[n, j] = sin(time);
  end for;
  for i in 2:n-1 then
    for j in 2:n-1 then
      der(T[i, j], start << i*j) = T[i-1, j] + T[i+1, j] + T[i, j-1] + T[i, j+1] - 4*T[i, j];
    end for;
  end for;
end Field;

model Block
interface:
  parameter Integer n << 8;
  static Real T[n, n, n];
implementation:
  for i in 1:n then
    for j in 1:n then
      T[i, j, 1] = i + j;
      T[i, j, n] = T[i, j, n-1];
      for k in 2:n-1 then
        if i == 1 or i == n or j == 1 or j == n then
          T[i, j, k] = 0;
        else then
          der(T[i, j, k], start << k) = T[i-1, j, k] + T[i+1, j, k] + T[i, j-1, k] + T[i, j+1, k] + T[i, j, k-1] +
            T[i, j, k+1] - 6*T[i, j, k];
        end if;
      end for;
    end for;
  end for;
end Block;

model Spot
interface:
  parameter Integer n << 40;
  static Real T[n];
  static Boolean hot;
implementation:
  hot << time > 0.2 and time < 0.5;
  T[1] = 0;
  T[n] = 1;
  for i in 2:n-1 then
    if i == 20 and hot then
      der(T[i]) = 10;
    else then
      der(T[i]) = 3*(T[i-1] - 2*T[i] + T[i+1]);
    end if;
  end for;
end Spot;
