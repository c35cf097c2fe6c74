-- pool, attempts
end_leases(ARGV[1], tonumber(ARGV[2]))
return 'ok'
