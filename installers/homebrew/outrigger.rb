# A formula for a tap of one's own; `version`, `url` and `sha256` are those of a release.
class Outrigger < Formula
  desc "Workspace tools for an agent in the browser, with the user in charge"
  homepage "https://outrigger.dev"
  url "https://github.com/outrigger-dev/outrigger/archive/refs/tags/v0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    generate_completions_from_executable(bin/"outrigger", "completions")
    (man1/"outrigger.1").write Utils.safe_popen_read(bin/"outrigger", "man")
  end

  # The Cellar's path has the version in it; the launcher in the user's folder does not.
  def caveats
    <<~EOS
      Let your browsers start it:       outrigger install
      After an upgrade:                 outrigger update-launcher
      Before you remove it:             outrigger uninstall
    EOS
  end

  test do
    ENV["OUTRIGGER_STATE_DIR"] = testpath/"state"
    system bin/"outrigger", "install", "--dry-run", "--all"
  end
end
