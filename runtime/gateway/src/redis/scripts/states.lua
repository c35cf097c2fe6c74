-- For each: a run, a token or nothing, when it was issued. Gives for each ok, the organization as JSON, the epoch, the revision,
-- whether the token is revoked, and the milliseconds until the run expires, or none.
return for_each(1, 3, 6, function(run, token, issued_at)
    local known = redis.call('HMGET', meta_of(run), 'org', 'epoch', 'revision')
    if not known[1] then
        return 'none'
    end
    return 'ok', known[1], known[2], known[3], token ~= '' and is_revoked(known[1], token, issued_at) or '0',
        digits(redis.call('PTTL', meta_of(run)))
end)
