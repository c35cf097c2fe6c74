-- For each: a run, a token or nothing, when it was issued. Gives for each ok, the organization as JSON, the epoch, the revision, and
-- whether the token is revoked, or none.
return for_each(1, 3, 5, function(run, token, issued_at)
    local known = redis.call('HMGET', meta_of(run), 'org', 'epoch', 'revision')
    if not known[1] then
        return 'none'
    end
    return 'ok', known[1], known[2], known[3], token ~= '' and is_revoked(known[1], token, issued_at) or '0'
end)
