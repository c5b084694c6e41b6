import { expect } from 'chai'
import { addRows } from '#test/conformance/rows.ts'
import { markDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { crawl } from '#test/template/support/crawl.ts'

describe('Links of both servers', () => {
  it('returns 200 or 303 for every link from every collection', async () => {
    const { app, client } = await catalogue()
    markDirty()
    await addRows(app, 1)
    for (const server of app.servers) expect(await crawl(client, server)).to.have.length.greaterThan(50)
  })
})
