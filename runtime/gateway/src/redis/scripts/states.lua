-- For each: a run, a token or nothing, when it was issued. Gives for each none, or, with spaces between, the epoch, the revision,
-- whether the token is revoked, the milliseconds until the run expires, and the organization as JSON.
return for_each(1, 3, function(run, token, issued_at)
    local known = redis.call('HMGET', meta_of(run), 'org', 'epoch', 'revision')
    if not known[1] then
        return 'none'
    end
    local revoked = token ~= '' and is_revoked(known[1], token, issued_at) or '0'
    return table.concat({known[2], known[3], revoked, digits(redis.call('PTTL', meta_of(run))), known[1]}, ' ')
end)
