@echo off
rem Takes outrigger out of this user's browsers and away: uninstall.cmd, with the options of `outrigger uninstall`.
setlocal
set "target=%LOCALAPPDATA%\Programs\Outrigger"
"%target%\bin\outrigger.exe" uninstall %*
if errorlevel 1 exit /b 1
rd /s /q "%target%"
