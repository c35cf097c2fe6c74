-- pool, worker, how long it counts from now in milliseconds (0: it leaves)
local pool, worker, lives = ARGV[1], ARGV[2], tonumber(ARGV[3])
local workers, time = key('workers', pool), now()
redis.call('ZREMRANGEBYSCORE', workers, '-inf', digits(time))
if lives == 0 then
    redis.call('ZREM', workers, worker)
    return 'ok'
end
redis.call('ZADD', workers, digits(time + lives), worker)
for _, kind in ipairs({'workers', 'queue', 'given'}) do
    redis.call('PEXPIRE', key(kind, pool), HOUR)
end
return 'ok'
