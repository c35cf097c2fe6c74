-- pool, id, call as JSON, whether it is repeatable, the milliseconds to its deadline, the process that submits it, the most that may wait
local pool, id = ARGV[1], ARGV[2]
local call = key('call', id)
if redis.call('EXISTS', call) == 1 then
    return 'ok'
end
if redis.call('ZCOUNT', key('workers', pool), now(), '+inf') == 0 then
    return 'no_worker'
end
if redis.call('XLEN', key('calls', pool)) >= tonumber(ARGV[7]) then
    return 'overloaded'
end
redis.call('HSET', call, 'pool', pool, 'call', ARGV[3], 'repeatable', ARGV[4], 'deadline', now() + ARGV[5],
    'callers', ARGV[6], 'server', server_run(), 'state', 'queued', 'attempt', 0, 'version', 1)
redis.call('PEXPIRE', call, HOUR)
enqueue(pool, id)
return 'ok'
