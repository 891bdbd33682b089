# For who types `.\install.ps1`: the same as install.cmd, which does the work.
& (Join-Path $PSScriptRoot "install.cmd") @args
exit $LASTEXITCODE
