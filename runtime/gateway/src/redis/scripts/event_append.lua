-- session, stream, number, message, how long it is kept in milliseconds, the most bytes and events of a session, and the most
-- bytes of all
local session, events, bytes = ARGV[1], key('events', ARGV[1]), #ARGV[4]
if redis.call('ZCOUNT', events, ARGV[3], ARGV[3]) > 0 then
    return 'ok'
end
strike_expired('events')
local count = redis.call('ZCARD', events)
if count == 0 then
    strike('events', session)
end
local own, all, last = size('events', session), sum('events'), now() - ARGV[5]
while count > 0 do
    local oldest = redis.call('ZRANGE', events, 0, 0)[1]
    local at, start = string.match(oldest, '^(%d+) %d+ %d+ ()')
    local fits = own + bytes <= tonumber(ARGV[6]) and count < tonumber(ARGV[7]) and all + bytes <= tonumber(ARGV[8])
    if fits and tonumber(at) >= last then
        break
    end
    redis.call('ZREMRANGEBYRANK', events, 0, 0)
    local length = #oldest - start + 1
    own, all, count = own - length, all - length, count - 1
end
if all + bytes > tonumber(ARGV[8]) then
    strike('events', session)
    return 'full'
end
redis.call('ZADD', events, ARGV[3], string.format('%d %s %s ', now(), ARGV[2], ARGV[3]) .. ARGV[4])
redis.call('PEXPIRE', events, ARGV[5])
enter('events', session, own + bytes, ARGV[5])
return 'ok'
