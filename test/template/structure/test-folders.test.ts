import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { isShipped } from '#test/template/support/shipped.ts'
import { readImports } from '../../../scripts/support/imports.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')

describe('Folders of tests', () => {
  const tests = globSync('{test,plugins,resources}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })

  it('have at most 20 test files', () => {
    const crowded = [...Map.groupBy(tests, dirname)].filter(([, files]) => files.length > 20)
    expect(crowded.map(([folder, files]) => `${folder}: ${files.length}`)).to.deep.equal([])
  })

  it('have the tests of the template below test/template', () => {
    const apart = tests.filter((file) => file.startsWith('test/') && !file.startsWith('test/template/'))
    expect(apart).to.deep.equal(['test/application.test.ts', 'test/imports.test.ts'])
  })

  it('are run by npm run test:postgres if they have cases that need a server', () => {
    const config = join(root, 'test/template/mocharc.cjs')
    const print = `console.log(JSON.stringify(require(${JSON.stringify(config)}).spec))`
    const env = { ...process.env, DATABASE_URL: 'postgres://localhost/test' }
    const spec: string[] = JSON.parse(
      execFileSync(process.execPath, ['-e', print], { cwd: root, encoding: 'utf8', env }),
    )
    // Mocha warns only if it does not find the files of a pattern, and does not expand braces.
    expect(spec.filter((pattern) => pattern.includes('{'))).to.deep.equal([])
    const run = new Set(spec.flatMap((pattern) => globSync(pattern, { cwd: root })))
    const needServer = tests
      .filter((file) => !/^test\/template\/(proofs\/(endurance|marathon)|structure)\//.test(file))
      .filter((file) => /describeIf\(hasServer\)|!hasServer\b|!process\.env\.DATABASE_URL/.test(read(file)))
    expect(needServer).to.include('test/template/http/deadline.test.ts')
    expect(needServer.filter((file) => !run.has(file))).to.deep.equal([])
  })

  it('measure no time, because a machine may be slow: only npm run template -- marathon does', () => {
    const clocks = /performance\.now|process\.hrtime|cpuUsage|getProcessInfo|TaskDuration/
    const allowed: Readonly<Record<string, string>> = {
      'test/template/http/http-server.test.ts': 'reads slowly for two seconds',
      'test/template/proofs/endurance/cluster.test.ts': 'tells the requests before an event from those after it',
      'test/template/proofs/endurance/killed-batches.test.ts': 'spreads kills over the duration of a batch',
      'test/template/structure/test-folders.test.ts': 'this test',
    }
    const measuring = tests.filter((file) => !file.includes('/marathon/') && clocks.test(read(file)))
    expect(measuring).to.have.members(Object.keys(allowed))
  })

  it('import nothing of test/template in the test kit and the conformance checks, which projects keep', () => {
    const kept = [...readImports()].filter(([file]) => /^test\/(?!template\/)/.test(file))
    expect(kept).not.to.be.empty
    const faults = kept.flatMap(([file, imported]) =>
      imported.filter((path) => path.startsWith('test/template/')).map((path) => `${file} → ${path}`),
    )
    expect(faults).to.deep.equal([])
  })
})

describe('Folders of plugins', () => {
  const files = globSync('plugins/**/*.ts', { cwd: root }).filter(isShipped)
  const byPlugin = Map.groupBy(files, (file) => file.split('/').slice(0, 2).join('/'))

  it('have up to 3 test files beside the code, more in the folder test', () => {
    const misplaced = [...byPlugin].flatMap(([plugin, all]) => {
      const tests = all.filter((file) => file.endsWith('.test.ts'))
      const folder = tests.length <= 3 ? plugin : `${plugin}/test`
      return tests.filter((file) => dirname(file) !== folder).map((file) => `${file} belongs in ${folder}`)
    })
    expect(byPlugin.has('plugins/validation')).to.equal(true)
    expect(misplaced).to.deep.equal([])
  })

  it('have the function for the OpenAPI document in describe.ts, and its parts in openapi/', () => {
    const describing = [...byPlugin.keys()].filter((plugin) => /^ {4}describe[:(,]/m.test(read(`${plugin}/index.ts`)))
    expect(describing).to.include.members(['plugins/filtering', 'plugins/validation'])
    expect(describing.filter((plugin) => !files.includes(`${plugin}/describe.ts`))).to.deep.equal([])
    const elsewhere = files.filter((file) => /\/describe(-[a-z-]+)?\.ts$/.test(file)).filter((file) => !isOfRule(file))
    expect(elsewhere).to.deep.equal([])
  })

  it('have files with names in kebab case', () => {
    expect(
      files.map((file) => basename(file)).filter((name) => !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(name)),
    ).to.deep.equal([])
  })
})

const isOfRule = (file: string) => /^plugins\/[^/]+\/(openapi\/describe-[a-z-]+|describe)\.ts$/.test(file)
