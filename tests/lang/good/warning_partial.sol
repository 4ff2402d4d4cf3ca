//! 10:5: warning: 'B' is partial: an instance of it is likely to lack equations
//! 11:13: warning: 'B' is partial: an instance of it is likely to lack equations
//! 12:12: warning: 'B' is partial: an instance of it is likely to lack equations
partial model B
end B;
model A
interface:
  dynamic B later;
implementation:
  B b;
  dynamic B c{};
  later <- B;
end A;
