# Installs outrigger for this user on Windows: .\install.ps1, with the options of `outrigger install`. Needs no administrator.
$ErrorActionPreference = "Stop"
$target = Join-Path $env:LOCALAPPDATA "Programs\Outrigger"
New-Item -ItemType Directory -Force $target | Out-Null
$program = Join-Path $target "outrigger.exe"
# A running program cannot be overwritten, but it can be renamed.
if (Test-Path $program) { Move-Item -Force $program (Join-Path $target ("outrigger-{0}.old" -f (Get-Random))) }
Copy-Item (Join-Path $PSScriptRoot "bin\outrigger.exe") $program
Get-ChildItem $target -Filter "*.old" | Remove-Item -ErrorAction SilentlyContinue
if (Test-Path (Join-Path $PSScriptRoot "share\outrigger\extension")) {
  Copy-Item -Recurse -Force (Join-Path $PSScriptRoot "share\outrigger\extension") (Join-Path $target "extension")
}
& $program install @args
exit $LASTEXITCODE
