-- Strings: patterns, replacements, formats and bytes.
local parts = {}
for i = 1, 3000 do parts[i] = string.format("%05d:%s;%x", i * 7919 % 10007, ("ab"):rep(i % 7), i) end
local text = table.concat(parts, " ")
local digits, letters, sum = 0, 0, 0
for round = 1, 30 do
  for n in text:gmatch("%d+") do digits = digits + #n end
  letters = letters + select(2, text:gsub("[a-f]+", string.upper))
  for i = 1, #text do
    local c = text:byte(i)
    if c >= 48 and c <= 57 then sum = sum + c - 48 elseif c == 32 then sum = sum + 1 end
  end
end
local reversed = text:reverse():lower()
print(#text, digits, letters, sum, reversed:find("ba;", 1, true))
