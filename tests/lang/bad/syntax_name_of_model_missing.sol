//! 3:1: error: expected a name for the definition, found 'interface'
model
interface:
end A;
