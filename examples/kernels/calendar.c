// Walks through a calendar day by day: leap years, lengths of months.
unsigned calendar(int year, int month, int day, long n) {
  unsigned sum = 0;
  for (long i = 0; i < n; i++) {
    int leap = 0;
    if (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) leap = 1;
    int last = 31;
    if (month == 2)
      last = 28 + leap;
    else if (month == 4 || month == 6 || month == 9 || month == 11)
      last = 30;
    sum = sum * 3 + day + month;
    day++;
    if (day > last) {
      day = 1;
      month++;
      if (month > 12) {
        month = 1;
        year++;
      }
    }
  }
  return sum + year;
}

unsigned drive(unsigned seed) {
  seed = seed * 1103515245 + 12345;
  int year = 1890 + (seed >> 16 & 127);
  return calendar(year, 2, 20, 400);
}
