-- pool, worker, how long it counts from now in milliseconds (0: it leaves)
local pool, worker, lives = ARGV[1], ARGV[2], tonumber(ARGV[3])
local workers, time = key('workers', pool), now()
redis.call('ZREMRANGEBYSCORE', workers, '-inf', time)
if lives == 0 then
    redis.call('ZREM', workers, worker)
    return 'ok'
end
redis.call('ZADD', workers, time + lives, worker)
redis.call('PEXPIRE', workers, HOUR)
local stream = key('calls', pool)
-- Fails where the group is there already.
redis.pcall('XGROUP', 'CREATE', stream, 'w', '0', 'MKSTREAM')
redis.call('PEXPIRE', stream, HOUR)
return 'ok'
