-- Tables: a sieve, sorting with a function and without, and a table by strings.
local seed = 42
local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648; return seed // 65536 % n end
local sieve, count = {}, 0
for i = 2, 300000 do sieve[i] = true end
for i = 2, 300000 do
  if sieve[i] then
    count = count + 1
    for j = i * i, 300000, i do sieve[j] = false end
  end
end
local list, pairs_ = {}, {}
for i = 1, 40000 do list[i] = random(32768); pairs_[i] = {random(200), i} end
table.sort(list)
table.sort(pairs_, function(a, b) if a[1] ~= b[1] then return a[1] < b[1] end return a[2] < b[2] end)
local words, most = {}, 0
for i = 1, 200000 do
  local w = "w" .. random(3000)
  words[w] = (words[w] or 0) + 1
  if words[w] > most then most = words[w] end
end
print(count, list[1], list[20000], pairs_[100][2], most)
