import { expect } from 'chai'
import { projectApp } from '#test/support/app.ts'

describe('Links of error documents', () => {
  it('lead to the entry of their code', async () => {
    const { app, client } = await projectApp()
    const [segment] = app.servers.find(({ name }) => name === 'default')?.typesBySegment.keys() ?? []
    const { body } = await client.send('POST', `/${segment}`, { body: '{}', headers: { 'content-type': 'text/plain' } })
    const [{ code, links }] = body.errors
    const { status, text } = await client.get(links.type, { accept: 'text/html' })
    expect([status, new URL(links.type).hash]).to.deep.equal([200, `#${code}`])
    expect(text).to.include(`<h2 id="${code}">`)
  })

  it('have an entry of /errors for every code', async () => {
    const { app, client } = await projectApp()
    const { text } = await client.get('/errors', { accept: 'text/html' })
    const codes = app.errors.map(({ code }) => code)
    expect(codes).to.include('RESOURCE_NOT_FOUND')
    expect(codes.filter((code) => !text.includes(`<h2 id="${code}"><a href="#${code}">`))).to.deep.equal([])
  })
})
