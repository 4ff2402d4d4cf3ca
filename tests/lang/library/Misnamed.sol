package Other
end Other;
