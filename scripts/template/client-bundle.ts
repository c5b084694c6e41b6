import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../support/root.ts'
import { run } from '../support/run-commands.ts'

const source = 'clients/typescript'
const title = '// Written by `npm run template -- client` from the sources of the client.\n'

/** Returns the files of clients/typescript/dist by name: the client in one module, and its types. */
export async function bundleClient(): Promise<Readonly<Record<string, string>>> {
  return { 'index.js': title + (await bundleModules()), 'index.d.ts': title + bundleTypes() }
}

async function bundleModules(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`${source}/src/index.ts`],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

/** Joins the declarations of all modules: names are unique, and only those of index.ts are exported. */
function bundleTypes(): string {
  const folder = mkdtempSync(join(tmpdir(), 'client-'))
  try {
    const code = run(['tsc', '-p', source, '--outDir', folder, '--emitDeclarationOnly'])
    if (code !== 0) throw new Error(`The types of ${source} cannot be written.`)
    const files = readdirSync(folder).filter((file) => file.endsWith('.d.ts'))
    const modules = files.filter((file) => file !== 'index.d.ts').sort()
    const declarations = modules.map((file) => withoutModule(readFileSync(join(folder, file), 'utf8'))).join('')
    checkNames(declarations)
    return declarations + readFileSync(join(folder, 'index.d.ts'), 'utf8').replace(/ from '[^']+'/g, '')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function withoutModule(declarations: string): string {
  return declarations.replace(/^import .*\n|^export \{\};\n|^export (?=\w)/gm, '')
}

function checkNames(declarations: string): void {
  const names = [...declarations.matchAll(/^(?:declare )?(?:type|interface|class|function|const) (\w+)/gm)].map(
    ([, name]) => name,
  )
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  if (twice.length > 0) throw new Error(`${source} declares in several modules: ${[...new Set(twice)].join(', ')}.`)
}
