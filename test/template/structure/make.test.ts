import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { compile, copyProject, projectParts, run } from '#test/template/support/project-copy.ts'
import { runCommand } from '#test/template/support/run-command.ts'
import { expectSuccess } from '#test/template/support/run-node.ts'

// Runs the generators in a copy of the project: the generated files are formatted, compile and pass their tests. The names
// are not those of the guides, because an owner has probably generated those already.

const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
const gazette = [
  'gazettes',
  'title:string!',
  'body:text',
  'status:enum=draft,published',
  'publishedAt:dateTime?',
  'author:one=inventors',
  'emblems:many=emblems',
]

describe('Generators', function () {
  this.timeout(300_000)
  let copy: string
  const make = (kind: 'resource' | 'plugin' | 'action', ...args: readonly string[]) =>
    run(copy, [`scripts/make-${kind}.ts`, ...args])
  const read = (file: string) => readFileSync(join(copy, file), 'utf8')
  before(() => {
    copy = copyProject(projectParts())
  })
  after(() => rmSync(copy, { recursive: true }))

  describe('npm run make -- resource', () => {
    before(async () => {
      const words = ['email:email!:unique:filter', 'city:string(40)?:sort', 'level:enum=low,*high']
      expectSuccess(await make('resource', 'inventors', 'name:string!', ...words, '--id', 'uuid'))
      expectSuccess(await make('resource', 'emblems', 'name:string!', '--soft-deletes', '--public'))
    })

    it('prints the files and writes nothing with --dry-run', async () => {
      const { stdout } = expectSuccess(await make('resource', ...gazette, '--dry-run'))
      for (const file of ['entity', 'resource', 'policy', 'factory', 'gazettes.test']) {
        expect(stdout).to.include(`--- resources/gazettes/${file}.ts\n`)
      }
      expect(stdout).to.match(/^--- resources\/gazettes\/migrations\/\d{14}_gazettes\.ts$/m)
      expect(stdout).to.include(`gazettes: () => p.oneToMany(Gazette).mappedBy('author'),`)
      expect(existsSync(join(copy, 'resources/gazettes'))).to.equal(false)
      expect(readdirSync(copy).filter((file) => file.startsWith('.make-'))).to.deep.equal([])
    })

    it('adds the inverse relation to the related types with --inverse', async () => {
      const { stdout } = expectSuccess(await make('resource', ...gazette, '--inverse'))
      expect(stdout).to.include('Added gazettes to resources/emblems/entity.ts and resources/emblems/resource.ts.')
      expect(read('resources/inventors/resource.ts')).to.include(`hasMany('gazettes', 'gazettes')`)
      expect(read('resources/emblems/resource.ts')).to.include(`belongsToMany('gazettes', 'gazettes')`)
    })

    it('exits with 1 when the folder exists or the path belongs to another type', async () => {
      const [again, taken] = await Promise.all([make('resource', ...gazette), make('resource', 'docs', 'title:text')])
      expect(again).to.include({ code: 1, stderr: 'resources/gazettes already exists.\n' })
      expect(taken.stderr).to.include(`the path /docs already belongs to the plugin 'openapi'`)
      expect(existsSync(join(copy, 'resources/docs'))).to.equal(false)
    })
  })

  describe('npm run make -- plugin', () => {
    it('adds a folder, a line at the end of app/plugins.ts and a row at the end of the table of docs/features.md', async () => {
      expectSuccess(await make('plugin', 'probe-log'))
      expect(read('app/plugins.ts')).to.include('  probeLog(),\n]')
      expect(read('docs/features.md')).to.match(/\n\| `probe-log` .*\n\n## Optional plugins/)
    })

    it('exits with 1 when the name is invalid, reserved or in use', async () => {
      for (const [name, sentence] of [
        ['Audit', 'is not a name for a plugin'],
        ['delete', 'the word is reserved in JavaScript'],
        ['sorting', 'plugins/sorting already exists'],
        ['search', `app/plugins.ts already has 'search'`],
      ] as const) {
        const { code, stderr } = await runCommand(['scripts/make-plugin.ts', name, '--dry-run'])
        expect(code, name).to.equal(1)
        expect(stderr, name).to.include(sentence)
      }
    })
  })

  describe('npm run make -- action', () => {
    it('adds a file to the folder of the resource, and a method to its policy', async () => {
      expectSuccess(await make('action', 'gazettes', 'publish'))
      expectSuccess(await make('action', 'gazettes', 'count', '--collection'))
      expect(read('resources/gazettes/actions/publish.ts')).to.include('export default defineAction(Gazette, {')
      expect(read('resources/gazettes/policy.ts')).to.include('  publish(principal: Principal | null) {')
      const { stdout } = expectSuccess(await make('action', 'gazettes', 'archive', '--dry-run'))
      expect(stdout).to.include('--- resources/gazettes/actions/archive.ts\n')
      expect(existsSync(join(copy, 'resources/gazettes/actions/archive.ts'))).to.equal(false)
    })

    it('exits with 1 when the resource does not exist, or the name is invalid or in use', async () => {
      for (const [type, name, sentence] of [
        ['nothing', 'publish', 'resources/nothing/entity.ts does not exist'],
        ['gazettes', 'pub/lish', 'is not a name for an action'],
      ] as const) {
        const { code, stderr } = await runCommand(['scripts/make-action.ts', type, name, '--dry-run'])
        expect(code, sentence).to.equal(1)
        expect(stderr).to.include(sentence)
      }
      const { code, stderr } = await make('action', 'gazettes', 'publish')
      expect(code).to.equal(1)
      expect(stderr).to.include('resources/gazettes/actions/publish.ts already exists')
    })
  })

  describe('The generated files', () => {
    it('are formatted, compile and pass their tests when nothing is edited', async () => {
      const tests = ['inventors', 'emblems', 'gazettes'].map((type) => `resources/${type}/${type}.test.ts`)
      const include = ['app', 'resources', 'plugins/probe-log']
      writeFileSync(join(copy, 'tsconfig.generated.json'), JSON.stringify({ extends: './tsconfig.json', include }))
      const [errors, checked, tested] = [
        await compile(copy, '-p', 'tsconfig.generated.json'),
        await run(copy, [biome, 'check', 'resources', 'plugins/probe-log', 'app/plugins.ts']),
        await run(copy, [
          mocha,
          ...tests,
          'plugins/probe-log/probe-log.test.ts',
          'test/template/structure/boundaries.test.ts',
          'test/template/documentation/readme.test.ts',
        ]),
      ]
      expect(errors).to.deep.equal([])
      expectSuccess(checked)
      expectSuccess(tested)
    })
  })

  describe('The generated policies', () => {
    it('deny anonymous reads, which --public allows', () => {
      expect(read('resources/gazettes/policy.ts')).to.match(
        /viewAny\(principal: Principal \| null\) {\s+return principal !== null/,
      )
      expect(read('resources/emblems/policy.ts')).to.match(/viewAny\(\) {\s+return true/)
      expect(read('resources/emblems/policy.ts')).to.match(
        /create\(principal: Principal \| null\) {\s+return principal !== null/,
      )
    })

    it('may become stricter: the generated tests pass', async () => {
      const types = ['inventors', 'emblems', 'gazettes']
      const sources = types.map((type) => read(`resources/${type}/policy.ts`))
      for (const [index, type] of types.entries()) {
        const strict = sources[index]
          ?.replaceAll('return principal !== null', `return principal?.roles.includes('owner') ?? false`)
          .replaceAll('return true', 'return false')
          .replace(/\n}\n$/, '\n  override scope() {\n    return false\n  }\n}\n')
        writeFileSync(join(copy, `resources/${type}/policy.ts`), strict ?? '')
      }
      expectSuccess(await run(copy, [mocha, ...types.map((type) => `resources/${type}/${type}.test.ts`)]))
      for (const [index, type] of types.entries())
        writeFileSync(join(copy, `resources/${type}/policy.ts`), sources[index] ?? '')
    })
  })

  describe('Files of a project', () => {
    const edit = (file: string, passage: string, instead: string) => {
      expect(read(file)).to.include(passage)
      writeFileSync(join(copy, file), read(file).replace(passage, instead))
    }
    before(() => {
      writeFileSync(join(copy, 'plugins/probe-log/migration.ts'), migration)
      edit('plugins/probe-log/index.ts', `name: 'probe-log',`, `name: 'probe-log',\n${members}`)
      edit('plugins/probe-log/index.ts', '/** Adds', `${declarations}\n/** Adds`)
      edit(
        'plugins/probe-log/index.ts',
        'import { addSteps, type Plugin }',
        `import { defineError } from '#kernel/errors'\n${imports}import { addSteps, type Plugin }`,
      )
      writeFileSync(join(copy, 'resources/inventors/access.ts'), helper)
      const policy = 'resources/gazettes/policy.ts'
      edit(policy, 'import type', `import { ${name} } from '#resources/inventors/access.ts'\nimport type`)
      edit(policy, 'principal !== null', `${name}(principal)`)
      for (const folder of ['resources/inventors/parts', 'plugins/probe-log/parts']) {
        mkdirSync(join(copy, folder))
        for (let number = 1; number <= 16; number++)
          writeFileSync(join(copy, folder, `part${number}.ts`), 'export const part = 1\n'.repeat(300))
      }
    })

    it('pass the checks of the structure with keys and migrations of a plugin, imports of helpers, and any words and sizes', async () => {
      const files = [
        'structure/boundaries',
        'documentation/documentation',
        'structure/language',
        'structure/sizes',
        'structure/types',
        'process/migrations',
      ]
      const withoutCompiler = ['--grep', '^Types of declarations', '--invert']
      expectSuccess(
        await run(copy, [mocha, ...files.map((name) => `test/template/${name}.test.ts`), ...withoutCompiler]),
      )
    })
  })
})

// Words that the template does not use, in parts: its rules hold for this file.
const subject = ['who', 'ever'].join('')
const name = ['is', 'Known'].join('')

const declarations = `declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** Logs changes, ${subject} makes them. */
    readonly probed?: boolean
  }
}

export const probeLogFull = defineError('PROBE_LOG_FULL', 409, 'Probe log is full', 'The probe log has {count} entries.')
`

const imports = `import { CreateProbeLog } from './migration.ts'
`

const members = `    keys: ['probed'],
    errors: [probeLogFull.definition],
    migrations: { '20260101000000_probe-log': CreateProbeLog },
`

const migration = `import { Migration } from '@mikro-orm/migrations'

export class CreateProbeLog extends Migration {
  override up(): void {
    this.addSql('create table "probe_log" ("id" serial primary key, "row_id" text not null)')
  }

  override down(): void {
    this.addSql('drop table "probe_log"')
  }
}
`

const helper = `import type { Principal } from '#kernel'

/** True for ${subject} has a token. */
export function ${name}(principal: Principal | null): boolean {
  return principal !== null
}
`
