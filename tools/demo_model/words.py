"""Word lists and the syllables from which names are invented, so that copying cannot be learnt by heart."""

from typing import Final


def row(text: str) -> list[str]:
    """Return words written in a row."""
    return text.split()


def parted(text: str) -> list[str]:
    """Return entries that may have spaces inside, written in a row with bars between them."""
    return text.split("|")


ONSETS: Final = row(
    "b br c ch cl d dr f fl g gl gr h j k kl kr l m n p pl pr qu r s sh sk sl sm sn st str t th tr v w y z"
)
VOWELS: Final = row("a e i o u a e i o ai au ea ee ia ie io oa oo ou ue é ö ü å á í ó")
CODAS: Final = row("n r l s t m x k d nd rt lm sk th ng st ck ff lla na ro ra no")

PEOPLE: Final = row(
    "Olivier Ada Anna Ben Clara David Emma Felix Grace Hugo Ines Jack Kim Laura Max Nina Omar Paul Rosa "
    "Sam Tom Uma Victor Wendy Xavier Yara Zoe Alice Bob Carol Dave Eve Maria John Jane Peter Lucy Leo Mia "
    "Noah Liam Sofia José Zoë Jürgen Søren Élodie Chloé Björn André Ana Ivan Olga Yuki Ken Mei Ali Fatima "
    "Raj Priya Chen Alan Grace"
)
CITIES: Final = parted(
    "Paris|London|Berlin|Madrid|Rome|Oslo|Vienna|Tokyo|New York|San Francisco|Boston|Chicago|Zürich|"
    "São Paulo|Lyon|Milan|Dublin|Prague|Athens|Cairo|Delhi|Mumbai|Sydney|Toronto|Moscow|Beijing|Seoul|Lima|"
    "Bogotá|Munich|Köln|Geneva|Brussels|Amsterdam|Warsaw|Budapest|Stockholm|Helsinki|Copenhagen|Reykjavik|"
    "Los Angeles|Seattle|Nairobi|Lagos|Singapore|Hong Kong|Bangkok|Dallas|Miami|Nice|Porto|Kyoto|Osaka|"
    "Hamburg|Barcelona"
)
CITY_PREFIXES: Final = row("New San Los Santa Port Saint El Fort")
UNSEEN_CITIES: Final = parted("Lisbon|Denver|Bergen|Málaga|Turin|Quito|Austin|Perth|Las Vegas|Bern")
UNSEEN_PEOPLE: Final = row("Marta Gustav Ingrid Dmitri Naomi Hector Amélie Oscar Petra Lionel")

COLORS: Final = row("red blue green yellow black white orange purple pink brown grey gold")
ANIMALS: Final = row(
    "cat dog cow horse sheep duck lion bird fish mouse frog bee wolf owl pig rabbit fox bear"
)
FOODS: Final = row("bread cheese rice soup pizza pasta apples tea coffee cake salad honey chocolate bananas")
JOBS: Final = row("teacher doctor baker painter driver farmer singer writer nurse cook pilot judge")
DAYS: Final = row("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
MONTHS: Final = row("January February March April May June July August September October November December")
CURRENCIES: Final = row("EUR USD GBP CHF JPY SEK NOK CAD AUD PLN INR CNY BRL DKK")
LANGUAGES: Final = row("French German Spanish English Italian Dutch Polish Greek Japanese Chinese Danish")

LEXICON: Final = row(
    "the a my your our new old big small red blue green cold warm late early good bad quick slow quiet "
    "loud bright train car boat house garden river mountain street market school book letter parcel "
    "meeting dinner lunch coffee tea bread apple music song window door table lamp phone key report ticket "
    "number plan idea game story is are was will be has have can may must not and or but with for from in "
    "on at to of by near after before today tomorrow tonight now soon again always never here there ready "
    "open closed lost found done free bring call meet send read write buy make take leave wait come go see "
    "know think like want need start stop happy summer winter spring autumn morning evening noon night "
    "rain snow sun wind sea tree flower history best cheap near hotels recipes news flights museums "
    "weather science learning python football films"
)
NUMBER_WORDS: Final = row(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen"
)
VERBS: Final = row(
    "open close book find order delete create start stop play read buy paint clean lock check call show "
    "get update cancel print move rent fix count list"
)
THINGS: Final = row(
    "door room table song file ticket lamp car book account taxi parcel page photo event user order flight "
    "hotel recipe price stock task alarm map window"
)
