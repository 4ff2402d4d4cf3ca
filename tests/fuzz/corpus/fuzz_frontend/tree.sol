model T
interface:
  parameter Integer d;
implementation:
  if d > 0 then
    T l{d << d - 1};
    T r{d << d - 1};
  end;
end T;
model A
implementation:
  T t{d << 3};
end A;
