-- pool, the length of leases in milliseconds, the worker's process, a new lease for all calls, the most calls, whether an answer for
-- this lease may have been lost; gives for each call, with spaces between, the attempt, the milliseconds to its deadline, the length of
-- its id, and its id and the call without a space
local pool, length, process, lease, most, time = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), now()
local leases = key('leases', pool)
local answer = {}
local function grant(id, text, attempt, left)
    answer[#answer + 1] = string.format('%s %d %d ', attempt, left, #id) .. id .. text
end

if ARGV[6] == '1' then
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', '+inf')) do
        local known = redis.call('HMGET', key('call', id), 'state', 'lease', 'call', 'attempt', 'deadline')
        if known[1] == 'running' and known[2] == lease then
            grant(id, known[3], known[4], math.max(known[5] - time, 0))
        end
    end
end

-- The first write needs no memory: then a script may go on when none is left.
local ids = redis.call('LPOP', key('given', pool), ARGV[5]) or {}
if #ids < most then
    for _, id in ipairs(redis.call('LPOP', key('queue', pool), digits(most - #ids)) or {}) do
        ids[#ids + 1] = id
    end
end

local granted = {}
for _, id in ipairs(ids) do
    local call = key('call', id)
    local known = redis.call('HMGET', call, 'state', 'call', 'attempt', 'deadline', 'repeatable', 'server', 'version')
    -- It may be cancelled.
    if known[1] == 'queued' then
        if tonumber(known[4]) <= time then
            redis.call('HDEL', call, 'call')
            change(id, 'state', 'cancelled')
        elseif known[5] ~= '1' and known[6] ~= SERVER then
            -- The server was restarted since, and may have lost that the call was claimed before: its file can lack the last second.
            redis.call('HDEL', call, 'call')
            change(id, 'state', 'unknown')
        else
            local attempt = digits(known[3] + 1)
            redis.call('HSET', call, 'state', 'running', 'lease', lease, 'attempt', attempt, 'worker', process, 'version', digits(known[7] + 1))
            granted[#granted + 1] = digits(time + length)
            granted[#granted + 1] = id
            grant(id, known[2], attempt, known[4] - time)
        end
    end
end
if #granted > 0 then
    redis.call('ZADD', leases, unpack(granted))
    redis.call('PEXPIRE', leases, '7200000')
end
return answer
