import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import * as driver from '#store/driver/index.ts'
import { root } from '#test/support/app.ts'

// What the data layer shows of its parts.

const driverFolder = 'app/store/driver/'

describe('The driver', () => {
  it('imports nothing of the application but types and helpers of the kernel', () => {
    const imports = sources('app/store/driver').flatMap(([file, text]) =>
      [...text.matchAll(/(?:from |import\()'([^']+)'/g)].map(([, path = '']) => `${file} → ${path}`),
    )
    expect(imports.length).to.be.above(20)
    const allowed = /→ (?:\.\/[\w-]+\.ts|node:\w+|pg|pg-protocol|kysely|#kernel\/store)$/
    expect(imports.filter((line) => !allowed.test(line))).to.deep.equal([])
  })

  it('is imported by its index only', () => {
    const inner = sources('app', 'plugins', 'resources', 'scripts').flatMap(([file, text]) =>
      file.startsWith(driverFolder)
        ? []
        : [...text.matchAll(/'[^']*\/driver\/(?!index\.ts')[^']*'/g)].map(([path]) => `${file} → ${path}`),
    )
    expect(inner).to.deep.equal([])
  })

  it('exports at most eight functions, and its pools and connections have at most eight', () => {
    expect(Object.keys(driver)).to.include('openPool').and.to.have.length.of.at.most(8)
    const contract = readFileSync(join(root, driverFolder, 'contract.ts'), 'utf8')
    const functions = ['Pool', 'Connection'].flatMap((name) => {
      const [, body = ''] = new RegExp(`^export interface ${name} \\{\n(.*?)^\\}`, 'ms').exec(contract) ?? []
      return [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, member]) => member)
    })
    expect(functions).to.include.members(['connect', 'query', 'release']).and.to.have.length.of.at.most(8)
  })
})

describe('Transactions', () => {
  /** The dialect runs what Kysely begins, by functions of PGlite; rehearsals use savepoints in their transactions. */
  const exceptions = ['app/embedded/dialect.ts', 'scripts/database/rehearse.ts', 'scripts/explain/rehearsal.ts']
  const begins =
    /\.transactional\(|\.startTransaction\(|\bem\.(?:begin|commit|rollback)\(|\b(?:query|execute|run|send|raw)\w*\(\s*['"`](?:begin|commit|rollback|start transaction|savepoint|release savepoint)\b/

  it('are begun, committed and rolled back in app/store/transaction/begin.ts only', () => {
    const files = sources('app', 'plugins', 'resources', 'scripts').flatMap(([file, text]) =>
      begins.test(code(text)) ? [file] : [],
    )
    expect(files).to.have.members(['app/store/transaction/begin.ts', ...exceptions])
  })
})

describe('The names that the data layer exports', () => {
  const exportedBy = (folder: string) =>
    sources(folder).flatMap(([, text]) =>
      [...text.matchAll(/^export (?:async )?(?:function|class|interface|type|const) (\w+)/gm)].map(([, name]) => name),
    )

  it('are other names than those of the kernel', () => {
    const kernel = new Set(exportedBy('app/kernel'))
    const names = exportedBy('app/store')
    expect(names).to.include('createStore')
    expect(names.filter((name) => kernel.has(name))).to.deep.equal([])
  })
})

function sources(...folders: readonly string[]): readonly (readonly [file: string, text: string])[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .filter((file) => !/\.test\.ts$/.test(file))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')])
}

/** The text without comments. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, '')
}
