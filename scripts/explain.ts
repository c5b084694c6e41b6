import { prepareDatabase } from '#store'
import { explainRequest } from './explain/explain-request.ts'
import { formatExplanation, toJson } from './explain/report.ts'
import { readRequestLine } from './explain/send-request.ts'
import { exitWithUsage, readArguments } from './support/arguments.ts'
import { withProject } from './support/project.ts'

const usage = `npm run explain -- 'GET /albums?filter[title]=ok&include=artist'

Runs one request in this process and prints its SQL statements, their plans by EXPLAIN (ANALYZE, BUFFERS), and what an
index would change. Everything runs in a transaction that is rolled back. Exits with 1 if the response is an error.

  --token        the bearer token of the request
  --as           the identifier of the requester, instead of a token
  --role         a role of the requester of --as; may be repeated
  --header       a header of the request, as 'Name: value'; may be repeated
  --body         the body of the request
  --writes       allows POST, PATCH and DELETE; hooks run, and sequences are not rolled back
  --try-indexes  creates the proposed indexes on a server, too, and rolls them back: locks their tables against writes
  --values       prints the values of parameters and conditions
  --json         prints one JSON document`

const { values, positionals } = readArguments({
  usage,
  positionals: 1,
  options: {
    token: { type: 'string' },
    as: { type: 'string' },
    role: { type: 'string', multiple: true, default: [] },
    header: { type: 'string', multiple: true, default: [] },
    body: { type: 'string' },
    writes: { type: 'boolean', default: false },
    'try-indexes': { type: 'boolean', default: false },
    values: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const line = readRequestLine(positionals[0] ?? '')
if (!line) exitWithUsage('A request is needed, such as GET /albums', usage)
if (values.role.length > 0 && values.as === undefined) exitWithUsage('--role needs --as', usage)
const headers = Object.fromEntries(values.header.map(readHeader))
if (values.token !== undefined) headers.authorization = `Bearer ${values.token}`

await withProject(async (project) => {
  const { database, discovery } = project
  if (database.kind === 'embedded') await prepareDatabase(database, discovery)
  const explanation = await explainRequest(
    project,
    { ...line, headers, body: values.body ?? null },
    {
      principal: values.as === undefined ? null : { identifier: values.as, roles: values.role },
      writes: values.writes,
      triesIndexes: database.kind === 'embedded' || values['try-indexes'],
      showsValues: values.values,
    },
  )
  console.log(values.json ? JSON.stringify(toJson(explanation), null, 2) : formatExplanation(explanation))
  if (explanation.answer.status >= 400) process.exitCode = 1
})

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    return exitWithUsage(`--header must be 'Name: value', not '${text}'`, usage)
  return [name.toLowerCase(), value]
}
