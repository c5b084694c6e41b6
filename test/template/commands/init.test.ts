import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { copyProject, projectParts } from '#test/template/support/project-copy.ts'
import { runNode } from '#test/template/support/run-node.ts'
import { deadLinks } from '../../../scripts/docs/dead-links.ts'
import { markdownFiles } from '../../../scripts/docs/files.ts'
import { readPage } from '../../../scripts/docs/markdown.ts'
import { enablePlugin } from '../../../scripts/init/edits.ts'
import { optionalPlugins, readPluginList, settingsOfPlugins } from '../../../scripts/init/plugins.ts'
import { recordChoice, writeIdentity, writeRemoval } from '../../../scripts/init/project.ts'
import { promptForProject } from '../../../scripts/init/prompt.ts'
import { filesIn, planRemoval, type Removal } from '../../../scripts/init/removal.ts'
import { type Choice, readManifest } from '../../../scripts/manifest/manifest.ts'
import { commandFiles } from '../../../scripts/support/command-files.ts'
import { readImports } from '../../../scripts/support/imports.ts'

// test/template/proofs/marathon/init.test.ts runs the command, and the tests and checks of the project that is left.

const lean: Choice = { demo: false, tests: false, pages: false, plugins: readPluginList(root, 'default') }
const optional = ['change-log', 'filter-expressions', 'history', 'live', 'webhooks']

describe('npm run init', () => {
  describe('leaves a project that', () => {
    let copy: string
    let removal: Removal
    const read = (file: string) => readFileSync(join(copy, file), 'utf8')
    before(() => {
      copy = copyProject(projectParts())
      removal = planRemoval(copy, lean)
      writeRemoval(copy, removal)
      writeIdentity(copy, { name: 'my-shop', title: 'My Shop' })
      recordChoice(copy, lean)
    })
    after(() => rmSync(copy, { recursive: true }))

    it('has no file of the demo and of maintainers, and less than half of the files', () => {
      const left = filesIn(copy)
      const parts =
        /^(?:test\/template|scripts\/template|scripts\/init|examples|docs\/(?:decisions|internals)|resources\/albums)\b|CHANGELOG|CONTRIBUTING|^plugins\/.*\.test\.ts$/
      expect(left.filter((file) => parts.test(file))).to.deep.equal([])
      expect(left).to.include.members([
        'app/main.ts',
        'test/application.test.ts',
        'test/imports.test.ts',
        'scripts/update.ts',
      ])
      expect(left.length).to.be.below(filesIn(root).length / 2)
    })

    it('has the plugins that are enabled by default, and no line, page or text about the optional ones', () => {
      expect(optionalPlugins(root)).to.deep.equal(optional)
      const names = optional.join('|')
      const parts = new RegExp(`^(?:plugins|docs)/(?:${names})\\b`)
      expect(filesIn(copy).filter((file) => parts.test(file))).to.deep.equal([])
      expect(read('app/plugins.ts'))
        .to.include('softDelete()')
        .and.not.to.match(/changeLog|webhooks|Optional:/)
      expect(read('docs/features.md'))
        .to.include('| `client-types`')
        .and.not.to.match(new RegExp(`^- .*(?:${names})`, 'm'))
    })

    it('has its name, and at most 18 scripts', () => {
      const { name, version, scripts } = JSON.parse(read('package.json'))
      expect([name, version]).to.deep.equal(['my-shop', '0.1.0'])
      expect(JSON.parse(read('package-lock.json')).packages['']).to.include({ name: 'my-shop', version: '0.1.0' })
      expect(Object.keys(scripts)).to.include('update').and.not.to.include('init').and.not.to.include('template')
      expect(Object.keys(scripts).length).to.be.at.most(18)
      expect(read('app/plugins.ts')).to.include(`{ title: 'My Shop', version: '0.1.0' }`).and.not.to.include('Catalog')
      expect(read('README.md').split('\n').length).to.be.below(60)
    })

    it('has the TypeScript client as a built module instead of its sources', () => {
      const { imports } = JSON.parse(read('package.json'))
      expect(imports['#client']).to.equal('./clients/typescript/dist/index.js')
      expect(filesIn(copy).filter((file) => file.startsWith('clients/'))).to.have.members([
        'clients/typescript/README.md',
        'clients/typescript/dist/index.d.ts',
        'clients/typescript/dist/index.js',
        'clients/typescript/package.json',
      ])
    })

    it('has no packages that only removed files use', () => {
      const { dependencies, devDependencies } = JSON.parse(read('package.json'))
      const former = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
      const lost = Object.keys(former.devDependencies).filter((name) => !(name in devDependencies))
      expect(lost).to.have.members([
        '@opentelemetry/sdk-node',
        '@types/autocannon',
        'autocannon',
        'esbuild',
        'marked',
        'playwright-core',
        'postgres',
      ])
      expect(dependencies).to.deep.equal(former.dependencies)
      const core =
        planRemoval(root, { ...lean, plugins: readPluginList(root, 'core') }).edited.get('package.json') ?? ''
      expect(core)
        .to.include('"koa"')
        .and.not.to.match(/koa-compress|koa__cors|prom-client/)
    })

    it('imports no removed file', () => {
      const left = new Set(filesIn(copy))
      const missing = [...readImports(copy)].flatMap(([file, imported]) =>
        imported.filter((other) => !left.has(other)).map((other) => `${file} → ${other}`),
      )
      // Written by the commands after the removal.
      expect(missing.filter((text) => !text.startsWith('resources/api.ts '))).to.deep.equal([])
    })

    it('has pages without dead links', () => {
      const pages = markdownFiles(copy).map((file) => readPage(copy, file))
      expect(deadLinks(copy, pages)).to.deep.equal([])
    })

    it('names no command that was removed', () => {
      const names = [...commandFiles(copy).keys()]
      const families = new Set(names.map((name) => name.split(' ')[0]))
      const isKnown = (words: string) => {
        const [family = '', mark, sub] = words.split(' ')
        const hasSubs = names.some((name) => name.startsWith(`${family} -- `))
        return (
          families.has(family) &&
          (mark !== '--' || !hasSubs || !/^[a-z]+$/.test(sub ?? '') || names.includes(`${family} -- ${sub}`))
        )
      }
      const faults = textFiles(copy).flatMap((file) =>
        [...read(file).matchAll(/`npm run ([\w:-]+(?: -- [\w-]+)?)/g)].flatMap(([, words = '']) =>
          isKnown(words) || words === 'init' ? [] : `${file}: npm run ${words}`,
        ),
      )
      expect(faults).to.deep.equal([])
    })

    it('names no file that was removed in its pages and tests', () => {
      const faults = textFiles(copy)
        .filter((file) => /\.md$|^test\//.test(file))
        .flatMap((file) =>
          [
            ...read(file).matchAll(/(?<![\w/.-])((?:app|docs|plugins|resources|scripts|test)\/[\w/.-]+\.(?:ts|md))/g),
          ].flatMap(([, path = '']) => (removal.gone.has(path) ? `${file}: ${path}` : [])),
        )
      expect(faults).to.deep.equal([])
    })

    it('has a manifest with the choice, and only with files that are left', () => {
      const manifest = readManifest(copy)
      expect(manifest?.init).to.deep.equal(lean)
      const left = new Set(filesIn(copy))
      expect(Object.keys(manifest?.files ?? {}).filter((file) => !left.has(file))).to.deep.equal([])
    })
  })

  for (const [words, choice] of Object.entries<Choice>({
    '--keep demo': { ...lean, demo: true },
    '--keep tests': { ...lean, tests: true, plugins: null },
    '--keep tests --plugins default': { ...lean, tests: true },
    '--plugins all': { ...lean, plugins: readPluginList(root, 'all') },
    '--plugins core': { ...lean, plugins: readPluginList(root, 'core') },
  })) {
    it(`leaves no import of a removed file with ${words}`, () => {
      const { gone, faults } = planRemoval(root, choice)
      expect(faults).to.deep.equal([])
      expect(gone.has('resources/albums/resource.ts')).to.equal(!choice.demo)
      expect(gone.has('test/template/commands/init.test.ts')).to.equal(!choice.tests || !choice.demo)
      const isGone = (plugin: string) => choice.plugins?.includes(plugin) === false
      expect(gone.has('plugins/idempotency/index.ts')).to.equal(isGone('idempotency'))
      expect(gone.has('plugins/live/index.ts')).to.equal(isGone('live'))
      expect(gone.has('scripts/make-key.ts')).to.equal(isGone('api-keys'))
      for (const name of ['make-types', 'openapi-diff', 'doctor', 'update'])
        expect(gone.has(`scripts/${name}.ts`)).to.equal(false)
      expect(gone.has('test/application.test.ts')).to.equal(false)
    })
  }

  it('removes the line, the variables and the row of a plugin that is not wanted', () => {
    const { edited } = planRemoval(root, { ...lean, plugins: readPluginList(root, 'core') })
    expect(edited.get('app/plugins.ts')).to.include('filtering(').and.not.to.include('idempotency(')
    expect(edited.get('.env.example'))
      .to.include('DATABASE_URL')
      .and.not.to.match(/idempotency/i)
    expect(edited.get('docs/features.md')).not.to.include('| `idempotency`')
  })

  it('keeps the plugins that a listed one requires', () => {
    expect(readPluginList(root, 'soft-delete')).to.deep.equal(['actions', 'filtering', 'soft-delete'])
  })

  it('enables an optional plugin that is listed, with those that it requires', () => {
    const plugins = readPluginList(root, 'default,live')
    expect(plugins).to.include.members(['change-log', 'live']).and.not.to.include('webhooks')
    const { edited } = planRemoval(root, { ...lean, plugins })
    const list = edited.get('app/plugins.ts')
    expect(list)
      .to.match(/^import \{ live \}/m)
      .and.to.match(/^ {2}changeLog\(\),\n {2}live\(\),$/m)
    expect(list).not.to.match(/webhooks\(|history\(/)
    expect(edited.get('.env.example'))
      .to.match(/^## Plugin live$/m)
      .and.not.to.include('not enabled')
  })

  it('prints the declarations and settings that enabled optional plugins need', () => {
    expect(settingsOfPlugins(root, ['change-log', 'live', 'webhooks'])).to.deep.equal([
      "Declare 'changes: true' in the types whose changes are recorded: docs/change-log.md.",
      'Set RESOURCE_PATHS=resources,plugins/webhooks/resources: it adds the resource types of webhooks.',
    ])
    expect(settingsOfPlugins(root, ['filter-expressions'])).to.deep.equal([])
  })

  it('enables an optional plugin whose call spans several lines', () => {
    const list = `// import { audit } from '#plugins/audit/index.ts'

export const plugins: readonly Plugin[] = [
  // audit({
  //   rules: [
  //     // every change
  //     rule,
  //   ],
  // }),
  // b(),
]
`
    expect(enablePlugin(list, 'audit')).to.equal(`import { audit } from '#plugins/audit/index.ts'

export const plugins: readonly Plugin[] = [
  audit({
    rules: [
      // every change
      rule,
    ],
  }),
  // b(),
]
`)
  })

  it('refuses unknown plugins, and `all` together with other names', () => {
    const read = (list: string) => () => readPluginList(root, list)
    expect(read('constructor')).to.throw(/^--plugins accepts all, core, default, actions, .*, not 'constructor'$/)
    expect(read('live,toString,x')).to.throw(/, not 'toString, x'$/)
    expect(read('all,live')).to.throw('--plugins accepts all only without other names')
  })

  describe('without a name', () => {
    const answer = async (...answers: string[]) => {
      const printed: string[] = []
      const prompt = async () => answers.shift() ?? ''
      const result = await promptForProject({ prompt, print: (text) => printed.push(text) }, optional)
      return { ...result, printed }
    }

    it('prompts for the name and offers the optional plugins', async () => {
      const { name, plugins, printed } = await answer('my-shop', 'live, history')
      expect([name, plugins]).to.deep.equal(['my-shop', 'default,live,history'])
      expect(printed).to.deep.equal([
        'Optional plugins: change-log, filter-expressions, history, live, webhooks. docs/features.md describes them.',
      ])
    })

    it('adds none of them for an empty answer', async () => {
      expect(await answer('my-shop')).to.deep.include({ name: 'my-shop', plugins: undefined })
    })

    it('prompts again after an answer that is not valid', async () => {
      const { name, plugins, printed } = await answer('My Shop', 'my-shop', 'lives', 'live')
      expect([name, plugins]).to.deep.equal(['my-shop', 'default,live'])
      expect(printed[0]).to.match(/^'My Shop' is not a name for a project/)
      expect(printed[2]).to.match(/^'lives' is not an optional plugin: change-log/)
    })
  })

  it('exits with 1 and says what is accepted when an argument is wrong', async () => {
    for (const [args, sentence] of [
      [['shop', '--plugins', 'corz'], /^--plugins accepts all, core, default, actions, .+, not 'corz'\./],
      [['shop', '--keep', 'docs'], /^--keep accepts demo and tests, not 'docs'\./],
      [['My Shop', '--dry-run'], /^'My Shop' is not a name for a project/],
    ] as const) {
      const { code, stderr } = await runNode(['scripts/init.ts', ...args])
      expect(code).to.equal(1)
      expect(stderr).to.match(sentence)
    }
  })
})

/** Pages, sources of commands and tests, and settings. */
function textFiles(folder: string): string[] {
  return filesIn(folder).filter((file) =>
    /\.md$|^(?:scripts|test)\/.*\.ts$|^\.env\.example$|^\.ci\/run$|^[^/]+\.(?:cjs|json)$/.test(file),
  )
}
