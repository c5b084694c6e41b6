import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { readImports } from '../../../scripts/support/imports.ts'

describe('Folders of tests', () => {
  const tests = globSync('{test,plugins,resources}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })

  it('have at most 20 test files', () => {
    const crowded = [...Map.groupBy(tests, dirname)].filter(([, files]) => files.length > 20)
    expect(crowded.map(([folder, files]) => `${folder}: ${files.length}`)).to.deep.equal([])
  })

  it('have the tests of the template below test/template', () => {
    const apart = tests.filter((file) => file.startsWith('test/') && !file.startsWith('test/template/'))
    expect(apart).to.deep.equal(['test/application.test.ts'])
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
