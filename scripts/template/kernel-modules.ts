import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments } from '../support/arguments.ts'
import { root } from '../support/root.ts'
import { formatTable } from '../support/table.ts'

const { values } = readArguments({
  usage: `npm run template -- kernel [--files]

Prints which modules an application without plugins loads, with their lines by folder. DATABASE_URL names a server;
default: the embedded database. --files also prints each file.`,
  options: { files: { type: 'boolean', default: false } },
})

const program = 'test/template/kernel/minimal/application.ts'
const output = execFileSync(process.execPath, [program], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
const { loaded }: { loaded: readonly string[] } = JSON.parse(output)
const files = loaded
  .filter((url) => url.startsWith('file:'))
  .map((url) => relative(root, fileURLToPath(url)))
  .filter((file) => file !== program && !/^\.\.|\bnode_modules\b/.test(file))
  .sort()
  .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))

if (values.files) console.log(`${formatTable(files.map(({ file, lines }) => [file, String(lines)]))}\n`)
console.log(
  formatTable([
    ['FOLDER', 'FILES', 'LINES'],
    ...sumsBy((file) => dirname(file)),
    ['', '', ''],
    ...sumsBy((file) => file.split('/').slice(0, 2).join('/')),
    ...sumsBy(() => 'all'),
  ]),
)

function sumsBy(group: (file: string) => string): string[][] {
  const groups = [...Map.groupBy(files, ({ file }) => group(file))]
  return groups.map(([name, list]) => [
    name,
    String(list.length),
    String(list.reduce((sum, { lines }) => sum + lines, 0)),
  ])
}
