import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { copyProject, projectParts, run } from '#test/template/support/project-copy.ts'
import { expectSuccess } from '#test/template/support/run-node.ts'

// Creates types beside the demo in a copy: all checks of types run with them too.

const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
const types: readonly (readonly string[])[] = [
  ['people', 'name:string!'],
  ['tags', 'name:string!'],
  ['articles', 'title:string!', 'body:text', 'status:enum=draft,published', 'author:one=people', 'tags:many=tags'],
  ['meetings', 'kind:enum=talk,party!', 'startsAt:dateTime!', 'site:url?', 'host:one=people!', 'guests:many=people'],
]

describeIf(!hasServer)('Types created with make:resource', function () {
  this.timeout(900_000)
  let copy: string
  before(async () => {
    copy = copyProject(projectParts())
    for (const [type, ...fields] of types) {
      expectSuccess(await run(copy, ['scripts/make-resource.ts', type as string, ...fields, '--inverse']))
    }
  })
  after(() => rmSync(copy, { recursive: true }))

  it('passes all tests', async () => {
    expectSuccess(await run(copy, [mocha]))
  })

  it('passes npm run prove', async () => {
    const { stdout } = expectSuccess(
      await run(copy, ['test/conformance/main.ts', ...types.map(([type]) => type as string)]),
    )
    for (const [type] of types) expect(stdout).to.match(new RegExp(`^${type} +\\d+ +0$`, 'm'))
  })

  it('passes npm run doctor --strict', async () => {
    expectSuccess(await run(copy, ['scripts/doctor.ts', '--strict']))
  })
})
