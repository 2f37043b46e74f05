-- Sends the requests of a profile in turn. The environment names the file of the requests and the number of requests that are
-- sent before their responses are awaited. Each request in the file follows a line with its length in bytes.
local requests = {}
local file = assert(io.open(os.getenv("ARENA_REQUESTS"), "rb"))
local depth = tonumber(os.getenv("ARENA_DEPTH"))
while true do
  local length = file:read("*n")
  if not length then break end
  file:read(1)
  local request = file:read(length)
  requests[#requests + 1] = string.rep(request, depth)
end
file:close()

local sent = 0

request = function()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end

done = function(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"p50_ms":%.3f,"p99_ms":%.3f,"failed":%d,"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    failed, errors.connect, errors.read, errors.write, errors.status, errors.timeout))
end
