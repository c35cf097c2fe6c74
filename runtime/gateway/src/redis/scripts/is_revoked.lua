-- organization as JSON, token, when it was issued
return is_revoked(ARGV[1], ARGV[2], ARGV[3])
