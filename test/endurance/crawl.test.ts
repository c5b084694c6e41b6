import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import { addRows, crawl } from '#test/support/crawl.ts'

describe('Every link of both servers', () => {
  it('leads somewhere: all of them, from every collection', async () => {
    const { app, client } = await catalogue()
    await addRows(client)
    for (const server of app.servers) expect(await crawl(client, server)).to.have.length.greaterThan(50)
  })
})
