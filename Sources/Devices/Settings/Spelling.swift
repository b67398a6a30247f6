/// The word of `allowed` that `word` was probably meant to be; nil if none is near.
public func nearestSpelling(to word: String, in allowed: [String]) -> String? {
  let word = word.lowercased()
  let near = allowed.map { (word: $0, distance: editDistance(word, $0.lowercased())) }
    .min { $0.distance < $1.distance }
  guard let near, near.distance <= max(1, (near.word.count + 1) / 3) else { return nil }
  return near.word
}

/// Letters to add, drop, change or swap with their neighbour to make one word of the other.
public func editDistance(_ first: String, _ second: String) -> Int {
  let (a, b) = (Array(first.prefix(64)), Array(second.prefix(64)))
  var rows = [Array(0...b.count)]
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        best = min(best, rows[i - 1][j - 1] + 1)
      }
      row.append(best)
    }
    rows.append(row)
  }
  return rows[a.count][b.count]
}
