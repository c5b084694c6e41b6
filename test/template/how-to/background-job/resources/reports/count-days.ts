/** Stands for work that takes long. */
export async function countDays(year: number, month: number): Promise<number> {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
}
