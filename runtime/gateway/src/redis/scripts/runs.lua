local function meta_of(run)
    return 'mcp:1:{' .. run .. '}:meta'
end

local function tools_of(run)
    return 'mcp:1:{' .. run .. '}:tools'
end

local function sealed_of(run)
    return 'mcp:1:{' .. run .. '}:sealed'
end

-- Whether a token is revoked, by itself or with its organization.
local function is_revoked(org, token, issued_at)
    local ends = redis.call('GET', key('revoked-org', org))
    if ends and tonumber(issued_at) <= tonumber(ends) then
        return '1'
    end
    return tostring(redis.call('EXISTS', key('revoked', token)))
end
