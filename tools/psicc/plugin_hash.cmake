# Writes a header with the hash of the plugin, for its first 16 digits.
file(SHA256 ${plugin} hash)
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${header} "// The plugin that this psicc was built with.\n#pragma once\n\n#define PSICC_PLUGIN_HASH \"${hash}\"\n")
