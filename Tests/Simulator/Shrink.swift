/// Makes a list of steps that breaks a rule as short as can be, by leaving out ever smaller parts.
public func shrunk(_ steps: [Step], breaks: ([Step]) -> Bool) -> [Step] {
  var steps = steps
  var size = max(steps.count / 2, 1)
  while true {
    var start = 0
    var isShorter = false
    while start < steps.count {
      var fewer = steps
      fewer.removeSubrange(start..<min(start + size, steps.count))
      if breaks(fewer) {
        steps = fewer
        isShorter = true
      } else {
        start += size
      }
    }
    if size == 1, !isShorter { return steps }
    size = max(size / 2, 1)
  }
}
