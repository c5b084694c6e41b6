const usage = `npm start

Starts the service. It is configured by environment variables and by .env: see docs/configuration.md.`

/** Prints the usage for `--help`; refuses all other arguments, because the service has none. */
export function checkArguments([first]: readonly string[] = process.argv.slice(2)): void {
  if (first === undefined) return
  const isHelp = first === '--help' || first === '-h'
  if (isHelp) console.log(usage)
  else console.error(`Unexpected argument '${first}'.\n\n${usage}`)
  process.exit(isHelp ? 0 : 1)
}
