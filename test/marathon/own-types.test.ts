import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { copyProject, type Ended, run } from '#test/support/copy.ts'

// Types that somebody makes beside the demo, in a copy: all that is tried with every type is tried with them as well.

const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
const types: readonly (readonly string[])[] = [
  ['people', 'name:string!'],
  ['tags', 'name:string!'],
  ['articles', 'title:string!', 'body:text', 'status:enum=draft,published', 'author:one=people', 'tags:many=tags'],
  ['meetings', 'kind:enum=talk,party!', 'startsAt:dateTime!', 'site:url?', 'host:one=people!', 'guests:many=people'],
]

if (!process.env.DATABASE_URL) {
  describe('Types of your own', function () {
    this.timeout(900_000)
    let copy: string
    before(async () => {
      copy = copyProject(readdirSync(root).filter((part) => !/^(?:node_modules|\.git|\.data|\.make-.*)$/.test(part)))
      for (const [type, ...fields] of types) {
        expectDone(await run(copy, ['scripts/make-resource.ts', type as string, ...fields, '--inverse']))
      }
    })
    after(() => rmSync(copy, { recursive: true }))

    it('leave all tests as they are', async () => {
      expectDone(await run(copy, [mocha]))
    })

    it('are proved', async () => {
      const { stdout } = expectDone(await run(copy, ['test/prove/main.ts', ...types.map(([type]) => type as string)]))
      for (const [type] of types) expect(stdout).to.match(new RegExp(`^${type} +\\d+ +0$`, 'm'))
    })

    it('lack nothing that npm run doctor knows of', async () => {
      expectDone(await run(copy, ['scripts/doctor.ts', '--strict']))
    })
  })
}

function expectDone(ended: Ended): Ended {
  expect(ended.code, `${ended.stdout}\n${ended.stderr}`).to.equal(undefined)
  return ended
}
