import { cpSync, existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { copyProject, projectParts, run } from '#test/template/support/project-copy.ts'
import { runCommand } from '#test/template/support/run-command.ts'
import { planEdits, withoutEmptyGroups, withoutLimits, withoutPlugin } from '../../../scripts/plugin/edits.ts'
import { planPluginRemoval } from '../../../scripts/plugin/removal.ts'
import { findUses } from '../../../scripts/plugin/uses.ts'
import { parseExample, withoutVariables } from '../../../scripts/support/env-example.ts'

describe('npm run plugin -- remove', function () {
  this.timeout(300_000)

  it('removes folder, line, row and variables in a copy, which compiles without other removals', async () => {
    const copy = copyProject(projectParts())
    // With the state of `npm run check -- types`, only files that the removal affects are compiled: 15 instead of 30 s of CPU.
    const state = '.warm/types.tsbuildinfo'
    if (existsSync(join(root, state))) cpSync(join(root, state), join(copy, state))
    const { code, stdout, stderr } = await run(copy, ['scripts/plugin-remove.ts', 'cors'])
    const read = (file: string) => readFileSync(join(copy, file), 'utf8')
    const removed = [...stdout.matchAll(/^Removed (\S+)\.$/gm)].map(([, file]) => file)
    const texts = ['app/plugins.ts', 'docs/features.md', '.env.example', 'docs/configuration.md'].map(read)
    const isLeft = existsSync(join(copy, 'plugins/cors'))
    rmSync(copy, { recursive: true })
    expect([code, stderr]).to.deep.equal([0, ''])
    expect(removed).to.include('plugins/cors/index.ts')
    expect(removed.filter((file) => !file?.startsWith('plugins/cors/'))).to.deep.equal([])
    expect(isLeft).to.equal(false)
    for (const text of texts) expect(text).not.to.match(/\bcors\(|`cors`|CORS_ORIGINS/)
  })

  it('refuses to remove a plugin that another plugin requires, and names the line', () => {
    const { refusals } = planPluginRemoval(root, ['openapi'])
    expect(
      refusals.filter((line) => /^plugins\/client-types\/index\.ts:\d+: import .*openapi/.test(line)),
    ).to.have.length(1)
  })

  it('exits with 1 and lists the plugins when the name is unknown', async () => {
    const { code, stderr } = await runCommand(['scripts/plugin-remove.ts', '--dry-run', 'corz'])
    expect(code).to.equal(1)
    expect(stderr).to.match(/^No folder in plugins\/: corz\. Plugins: .*cors/)
  })
})

describe('Uses of a removed plugin', () => {
  const plugins = ['audit']
  const usesOf = (imports: Readonly<Record<string, readonly string[]>>, broken: readonly string[] = []) => {
    const { gone, kept } = findUses({
      plugins,
      imports: new Map(Object.entries(imports)),
      commands: ['test/conformance/main.ts'],
      broken,
    })
    return { gone: [...gone].sort(), kept }
  }
  const index = 'plugins/audit/index.ts'

  it('are removed in tests of other plugins and in commands; the list of plugins is edited', () => {
    const imports = {
      [index]: [],
      'plugins/b/b.test.ts': [index],
      'scripts/audit.ts': [index],
      'app/plugins.ts': [index],
    }
    expect(usesOf(imports)).to.deep.equal({ gone: ['plugins/b/b.test.ts', 'scripts/audit.ts'], kept: [] })
  })

  it('are kept in resources, other plugins and the application', () => {
    const files = ['app/main.ts', 'plugins/b/index.ts', 'resources/c/resource.ts']
    expect(usesOf(Object.fromEntries(files.map((file) => [file, [index]])))).to.deep.equal({ gone: [], kept: files })
  })

  it('are removed in a helper with the tests that import it', () => {
    const imports = { 'test/support/a.ts': [index], 'test/a.test.ts': ['test/support/a.ts'] }
    expect(usesOf(imports)).to.deep.equal({ gone: ['test/a.test.ts', 'test/support/a.ts'], kept: [] })
  })

  it('are kept in a helper that tests of other plugins or an npm command import', () => {
    const helper = 'test/support/a.ts'
    for (const importer of ['plugins/b/b.test.ts', 'test/conformance/main.ts']) {
      expect(usesOf({ [helper]: [index], [importer]: [helper] })).to.deep.equal({ gone: [], kept: [helper] })
    }
  })

  it('are removed with all files of a recipe', () => {
    const resource = 'test/template/how-to/r/resources/n/resource.ts'
    const test = 'test/template/how-to/r/r.test.ts'
    expect(usesOf({ [resource]: [index], [test]: [] }).gone).to.deep.equal([test, resource])
  })

  it('are found by compiler errors in files that do not import the plugin', () => {
    const files = ['resources/c/resource.ts', 'test/a.test.ts']
    expect(usesOf(Object.fromEntries(files.map((file) => [file, []])), files)).to.deep.equal({
      gone: ['test/a.test.ts'],
      kept: ['resources/c/resource.ts'],
    })
  })
})

describe('The list of plugins without a plugin', () => {
  const list = (line: string) => `import { audit, rule } from '#plugins/audit/index.ts'
import { b } from '#plugins/b/index.ts'

export const plugins = [
${line}  b(),
]
`
  const expected = list('').replace(/.*\n/, '')
  const lines = {
    'a call': '  audit(),\n',
    'a call with a comment': '  audit({ rule }), // every change\n',
    'a call over several lines': '  audit({\n    rules: [\n      rule,\n    ],\n  }),\n',
    'a call in a comment': '  // audit(),\n',
  }
  for (const [kind, line] of Object.entries(lines)) {
    it(`has no import and no line of the plugin after ${kind} is removed`, () => {
      expect(withoutPlugin(list(line), 'audit')).to.equal(expected)
    })
  }

  it('keeps a comment at the end of a group, and loses the title of a group that has no plugin left', () => {
    const before = `export const plugins = [
  // First
  a(),
  // A note about the group

  // Without plugins, as before

  // Second
  audit(),
  // audits(),

  // Last
  audit2(),
]
`
    const after = `export const plugins = [
  // First
  a(),
  // A note about the group

  // Without plugins, as before

  // Second
  // audits(),
]
`
    const removed = before.replace('  audit(),\n', '').replace('  audit2(),\n', '')
    expect(withoutEmptyGroups(removed, before)).to.equal(after)
    expect(withoutEmptyGroups(removed.replace('  // audits(),\n', ''), before)).to.equal(
      after.replace('\n  // Second\n  // audits(),\n', ''),
    )
  })

  it('is the same for each plugin of the template, without its line', () => {
    const source = readFileSync(join(root, 'app/plugins.ts'), 'utf8')
    for (const [, name = ''] of source.matchAll(/'#plugins\/([\w-]+)\//g)) {
      const word = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
      expect(withoutPlugin(source, name), name).not.to.match(new RegExp(`\\b${word}\\(|#plugins/${name}/`))
    }
  })
})

describe('.env.example without variables', () => {
  it('loses comments that describe only removed variables', () => {
    const example = '# Head\n\n# Two\nA=1\nB=2\n\n# One\nC=\n'
    expect(withoutVariables(example, ['A', 'C'])).to.equal('# Head\n\n# Two\nB=2\n')
  })

  it('loses variables that are commented out, and headings of plugins without variables', () => {
    const example = '# Head\n\n## Plugin a\n\n# One\n#A=1\n\n## Plugin b\n\n# Two\n#B=2\n'
    expect(withoutVariables(example, ['A'])).to.equal('# Head\n\n## Plugin b\n\n# Two\n#B=2\n')
    expect(parseExample(example)).to.deep.equal({ A: '1', B: '2' })
  })
})

describe('The settings of a plugin that is not enabled by default', () => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const sections = read('.env.example').split(/^(?=## )/m)
  for (const section of sections.filter((text) => /^## .*\(not enabled by default\)\n/.test(text))) {
    const [, name = ''] = /^## Plugin (\S+)/.exec(section) ?? []
    it(`are removed from .env.example and docs/limits.md with ${name}`, () => {
      const gone = new Set(globSync(`plugins/${name}/**/*.ts`, { cwd: root }))
      const edited = planEdits(root, [name], gone)
      const example = edited.get('.env.example') ?? ''
      expect(example.trimEnd()).to.equal(
        sections
          .filter((text) => text !== section)
          .join('')
          .trimEnd(),
      )
      const limits = (edited.get('docs/limits.md') ?? read('docs/limits.md')).split('\n')
      expect(limits.filter((line) => line.includes(`plugins/${name}/`))).to.deep.equal([])
      for (const variable of Object.keys(parseExample(section))) {
        expect(limits.filter((line) => line.includes(`| \`${variable}\` |`))).to.deep.equal([])
      }
    })
  }
})

describe('docs/limits.md without a plugin', () => {
  it('loses the rows of removed variables and of constants in removed files', () => {
    const kept = '| c | 3 | `C` | |\n| d | 4 | `app/d.ts` `size` | |\n'
    const page = `| a | 1 | \`A\` | |\n| b | 2 | \`plugins/audit/b.ts\` \`size\` | |\n${kept}`
    expect(withoutLimits(page, ['A'], new Set(['plugins/audit/b.ts']))).to.equal(kept)
  })
})
