-- session
redis.call('DEL', key('events', ARGV[1]))
strike('events', ARGV[1])
return 'ok'
