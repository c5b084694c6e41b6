import { v7 } from 'uuid'
import { apiKeyScopes } from '#app/plugins.ts'
import { createKey, unknownScopes } from '#plugins/api-keys/index.ts'
import { migrate, StartupError } from '#store'
import { readArguments } from './support/arguments.ts'
import { reportErrors, withProject } from './support/project.ts'

const accepted = Object.keys(apiKeyScopes)
const usage = `npm run make -- key <name> --scope <scope> [--scope <scope>] [--expires 2030-01-31]

Creates an API key and prints it once; the database stores its hash. Scopes: ${accepted.join(', ')}.

  --scope    what the key may do; required
  --expires  the time from which the key is refused; default: never`

const { values, positionals } = readArguments({
  usage,
  options: { scope: { type: 'string', multiple: true }, expires: { type: 'string' } },
  positionals: 1,
})

await reportErrors(async () => {
  const [name] = positionals
  const scopes = values.scope ?? []
  const expires = values.expires === undefined ? null : new Date(values.expires)
  if (!name || name.length > 120 || scopes.length === 0) throw new StartupError(usage)
  const unknown = unknownScopes(scopes, apiKeyScopes)
  if (unknown.length > 0)
    throw new StartupError(`Unknown scope: ${unknown.join(', ')}. Scopes: ${accepted.join(', ')}.`)
  if (expires && !(expires.getTime() > Date.now())) throw new StartupError('--expires must be a time in the future.')

  await withProject(async ({ database }) => {
    await migrate(database)
    const { token, start, hash } = createKey()
    const sql = `insert into api_keys (id, name, start, hash, scopes, expires_at)
    values (?, ?, ?, ?, string_to_array(?, ' '), ?)`
    const parameters = [v7(), name, start, hash, scopes.join(' '), expires?.toISOString() ?? null]
    await database.orm.em.fork().execute(sql, parameters)
    console.log(`${token}\n\nSend it as Authorization: Bearer ${start}…; it is not shown again.`)
  })
})
