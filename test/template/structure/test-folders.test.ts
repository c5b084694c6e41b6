import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
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

  it('import nothing of test/template in the test kit and the conformance checks, which projects keep', () => {
    const kept = [...readImports()].filter(([file]) => /^test\/(?!template\/)/.test(file))
    expect(kept).not.to.be.empty
    const faults = kept.flatMap(([file, imported]) =>
      imported.filter((path) => path.startsWith('test/template/')).map((path) => `${file} → ${path}`),
    )
    expect(faults).to.deep.equal([])
  })
})
