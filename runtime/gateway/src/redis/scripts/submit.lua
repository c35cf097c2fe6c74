-- pool, id, call as JSON, whether it is repeatable, the milliseconds to its deadline, the process that submits it, the most that may
-- wait, the name of its idempotency key or nothing, the digest of its arguments; the answer is ok, the id of the call that is made, and
-- whether it is new, or what is wrong
local pool, id = ARGV[1], ARGV[2]
local call, idempotency = key('call', id), key('key', ARGV[8])
if redis.call('EXISTS', call) == 1 then
    return {'ok', id, '0'}
end
if ARGV[8] ~= '' then
    local earlier = redis.call('HMGET', idempotency, 'call', 'arguments')
    local state = earlier[1] and redis.call('HGET', key('call', earlier[1]), 'state')
    -- One that was cancelled before it was claimed had no effect.
    if state and state ~= 'cancelled' then
        return earlier[2] == ARGV[9] and {'ok', earlier[1], '0'} or {'other_arguments'}
    end
end
local time, stream = now(), key('calls', pool)
if redis.call('ZCOUNT', key('workers', pool), time, '+inf') == 0 then
    return {'no_worker'}
end
if redis.call('XLEN', stream) >= tonumber(ARGV[7]) then
    return {'overloaded'}
end
-- Only for those that must not be repeated, since it takes longer than the rest.
local server = ARGV[4] == '1' and '' or server_run()
-- The worker that is there has seen to it that the stream outlives the record.
local entry = redis.call('XADD', stream, '*', 'call', id)
redis.call('HSET', call, 'pool', pool, 'call', ARGV[3], 'repeatable', ARGV[4], 'deadline', time + ARGV[5], 'callers', ARGV[6],
    'server', server, 'state', 'queued', 'attempt', 0, 'version', 1, 'entry', entry)
redis.call('PEXPIRE', call, HOUR)
if ARGV[8] ~= '' then
    redis.call('HSET', idempotency, 'call', id, 'arguments', ARGV[9])
    redis.call('PEXPIRE', idempotency, HOUR)
end
return {'ok', id, '1'}
