-- token or org, its name, until when tokens of the organization are revoked, how long this is known in milliseconds
if ARGV[1] == 'token' then
    redis.call('SET', key('revoked', ARGV[2]), '1', 'PX', ARGV[4])
else
    local org = key('revoked-org', ARGV[2])
    local former = redis.call('GET', org)
    local ends = ARGV[3]
    if former and tonumber(former) > tonumber(ends) then
        ends = former
    end
    redis.call('SET', org, ends, 'PX', ARGV[4])
end
redis.call('PUBLISH', 'mcp:1:inv', '')
return 'ok'
