/** Index of the last of ascending numbers that is not above `wanted`; 0 if all are above it. */
export function lastAtMost(numbers: ArrayLike<number>, wanted: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (numbers[middle] <= wanted) low = middle
    else high = middle - 1
  }
  return low
}
