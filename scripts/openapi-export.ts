import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { StartupError } from '#store'
import { readArguments } from './support/arguments.ts'
import { fetchJson, pathOnServer } from './support/fetch-json.ts'
import { withApp } from './support/project.ts'

const usage = `npm run openapi -- export [--server admin] [--format yaml] [--output admin.yaml]
npm run openapi -- export schemas [--server admin] [--type users] [--output users.json]

Writes the OpenAPI document of a server, or the JSON Schemas of its types, to a file or to stdout.

  --server  the name of the server; default: default
  --format  json or yaml; default: json
  --type    only the schema of this type
  --output  the file to write; default: stdout`

const { values, positionals } = readArguments({
  usage,
  positionals: 1,
  options: {
    server: { type: 'string', default: 'default' },
    format: { type: 'string', default: 'json' },
    type: { type: 'string' },
    output: { type: 'string' },
  },
})

await withApp(async (app) => {
  const { server, format, type, output } = values
  if (format !== 'json' && format !== 'yaml') throw new StartupError(`--format must be json or yaml, not '${format}'.`)
  const isSchemas = positionals.includes('schemas')
  const whole = await fetchJson(app, pathOnServer(app, server, isSchemas ? 'schemas.json' : 'docs.json'))
  const content = isSchemas && type !== undefined ? findSchema(whole as Record<string, object>, type) : whole
  const text =
    format === 'yaml' ? stringify(content, { aliasDuplicateObjects: false }) : `${JSON.stringify(content, null, 2)}\n`
  if (output === undefined) process.stdout.write(text)
  else writeFileSync(output, text)
})

function findSchema(schemas: Readonly<Record<string, object>>, type: string): object {
  const schema = schemas[type]
  if (!schema) throw new StartupError(`Unknown type '${type}'. Types: ${Object.keys(schemas).join(', ')}.`)
  return schema
}
