@echo off
rem Installs outrigger for this user on Windows: install.cmd, with the options of `outrigger install`. Needs no administrator.
setlocal
set "target=%LOCALAPPDATA%\Programs\Outrigger"
rem A running program cannot be overwritten, but it can be renamed; what no longer runs goes.
del /q "%target%\bin\outrigger-*.old" 2>nul
if exist "%target%\bin\outrigger.exe" ren "%target%\bin\outrigger.exe" "outrigger-%RANDOM%%RANDOM%.old"
xcopy /e /i /q /y "%~dp0bin" "%target%\bin" >nul
xcopy /e /i /q /y "%~dp0share" "%target%\share" >nul
if not exist "%target%\bin\outrigger.exe" exit /b 1
"%target%\bin\outrigger.exe" install --keep %*
exit /b %errorlevel%
