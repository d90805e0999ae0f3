-- Objects, closures and collection of garbage: a queue by time, and trees that come and go.
local Queue = {}
Queue.__index = Queue
function Queue.new() return setmetatable({n = 0}, Queue) end
function Queue:push(x)
  self.n = self.n + 1
  local i = self.n
  while i > 1 and self[i // 2].time > x.time do self[i] = self[i // 2]; i = i // 2 end
  self[i] = x
end
function Queue:pop()
  local top, x = self[1], self[self.n]
  self[self.n] = nil
  self.n = self.n - 1
  local i = 1
  while 2 * i <= self.n do
    local c = 2 * i
    if c < self.n and self[c + 1].time < self[c].time then c = c + 1 end
    if self[c].time >= x.time then break end
    self[i] = self[c]
    i = c
  end
  if self.n > 0 then self[i] = x end
  return top
end
local seed = 7
local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648; return seed // 65536 % n end
local queue, steps = Queue.new(), 0
for i = 1, 1000 do queue:push({time = random(1000), step = function() steps = steps + 1 end}) end
for _ = 1, 120000 do
  local event = queue:pop()
  event.step()
  queue:push({time = event.time + random(1000), step = event.step})
end
local function tree(depth) if depth == 0 then return {} end return {tree(depth - 1), tree(depth - 1)} end
local function nodes(t) if not t[1] then return 1 end return 1 + nodes(t[1]) + nodes(t[2]) end
local total = 0
for _ = 1, 30 do total = total + nodes(tree(12)) end
print(steps, queue:pop().time, total)
