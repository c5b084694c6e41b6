import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { TestApp } from '#test/support/app.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import { Specimen } from '#test/template/support/library/specimens.ts'

const specimens = defineResource(Specimen, {
  type: 'specimens',
  fields: ({ id, date }) => [id(), date('date')],
})

describe('A date', () => {
  let library: TestApp
  before(async () => {
    library = await startLibrary({ resources: [{ file: 'specimens.ts', resource: specimens }] })
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })
  const create = (date: string) =>
    library.client.post('/specimens', { data: { type: 'specimens', attributes: { date } } })

  for (const date of [
    '0001-01-01',
    '0004-02-29',
    '1900-02-28',
    '2000-02-29',
    '2024-02-29',
    '2024-04-30',
    '9999-12-31',
  ]) {
    it(`is accepted: ${date}`, async () => {
      const { status, body } = await create(date)
      expect(status).to.equal(201)
      expect(body.data.attributes.date).to.equal(date)
    })
  }

  for (const date of [
    '0000-01-01',
    '1900-02-29',
    '2023-02-29',
    '2024-02-30',
    '2024-04-31',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
  ]) {
    it(`that does not exist is a 422: ${date}`, async () => {
      const { status, body } = await create(date)
      expect(status).to.equal(422)
      expect(body.errors[0].source).to.deep.equal({ pointer: '/data/attributes/date' })
    })
  }
})
