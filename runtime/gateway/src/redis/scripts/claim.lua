-- pool, the length of leases in milliseconds, the worker's process, then for each call its entry, its id and its lease; gives for
-- each the call, the attempt and the milliseconds to its deadline, or nothing three times
local pool, time = ARGV[1], now()
local leases, stream = key('leases', pool), key('calls', pool)

local entries = {}
for place = 4, #ARGV, 3 do
    entries[#entries + 1] = ARGV[place]
end
-- First, since a script whose first write needs no memory may go on when none is left.
redis.pcall('XACK', stream, 'w', unpack(entries))
redis.call('XDEL', stream, unpack(entries))

-- Whether the server was restarted since the call was submitted, and may have lost that the call was claimed before: its file can
-- lack the last second.
local current
local function was_restarted(since)
    current = current or server_run()
    return since ~= current
end

local function claim(id, lease)
    local call = key('call', id)
    local known = redis.call('HMGET', call, 'state', 'call', 'attempt', 'deadline', 'lease', 'repeatable', 'server', 'version')
    if known[1] == 'running' and known[5] == lease then
        return known[2], known[3], tostring(math.max(known[4] - time, 0))
    end
    if known[1] ~= 'queued' then
        return '', '', ''
    end
    if tonumber(known[4]) <= time then
        redis.call('HDEL', call, 'call')
        change(id, 'state', 'cancelled')
        return '', '', ''
    end
    if known[6] ~= '1' and was_restarted(known[7]) then
        redis.call('HDEL', call, 'call')
        change(id, 'state', 'unknown')
        return '', '', ''
    end
    local attempt = tostring(known[3] + 1)
    redis.call('ZADD', leases, time + ARGV[2], id)
    redis.call('HSET', call, 'state', 'running', 'lease', lease, 'attempt', attempt, 'worker', ARGV[3], 'version', known[8] + 1)
    return known[2], attempt, tostring(known[4] - time)
end

local answer = {}
for place = 4, #ARGV, 3 do
    local call, attempt, left = claim(ARGV[place + 1], ARGV[place + 2])
    answer[#answer + 1] = call
    answer[#answer + 1] = attempt
    answer[#answer + 1] = left
end
redis.call('PEXPIRE', leases, 2 * HOUR)
return answer
